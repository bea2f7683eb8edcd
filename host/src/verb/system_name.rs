//! The name of a system, as arguments take it.

use std::ffi::OsStr;
use std::sync::LazyLock;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};

use crate::system;

/// Takes any text and offers shells the names of the systems that there are: a machine may be given
/// any other name that begins with its architecture, so that only [`system::find`] can refuse one.
#[derive(Clone, Copy, Debug)]
pub(super) struct SystemName;

impl TypedValueParser for SystemName {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        static NAMES: LazyLock<Vec<String>> = LazyLock::new(system::known);
        let names = NAMES.iter().map(String::as_str);
        Some(Box::new(names.map(PossibleValue::new)))
    }
}
