//! What an image is for.

use crate::CatalogueError;

/// The two kinds of image of an instance. They hold the same objects of the submission, byte by
/// byte; in the second, some calls between them take a way round.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Hash)]
pub enum Kind {
    /// To be timed.
    #[default]
    Timed,
    /// To be asked which symmetric functions its operations call, and for what part of their cost.
    Profile,
}

impl Kind {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Timed, Self::Profile];

    /// The name in the environment and in keys of images.
    pub fn name(self) -> &'static str {
        match self {
            Self::Timed => "timed",
            Self::Profile => "profile",
        }
    }

    /// The kind of this name.
    ///
    /// # Errors
    ///
    /// [`CatalogueError::UnknownKind`] lists the names there are.
    pub fn from_name(name: &str) -> Result<Self, CatalogueError> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| CatalogueError::UnknownKind {
                name: name.to_owned(),
                known: Self::ALL.map(Self::name).join(", "),
            })
    }
}
