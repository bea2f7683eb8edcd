//! The regular expression that `--only` takes.

use regex::Regex;

/// Reads the expression; an error shows where it is wrong, and how one looks.
pub(super) fn expression(text: &str) -> Result<Regex, String> {
    Regex::new(text).map_err(|error| {
        format!(
            "{error}\n\nexample: --only '^pqclean/ML-KEM-(512|768)$' chooses these two labels; a \
             backslash takes the meaning from a special character: 'SPHINCS\\+'"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_expression_is_shown_with_its_place_and_an_example() {
        assert!(expression("^pqclean/ML-KEM-(512|768)$").is_ok());
        insta::assert_snapshot!(expression("ML-(KEM").unwrap_err(), @r"
        regex parse error:
            ML-(KEM
               ^
        error: unclosed group

        example: --only '^pqclean/ML-KEM-(512|768)$' chooses these two labels; a backslash takes the meaning from a special character: 'SPHINCS\+'
        ");
    }
}
