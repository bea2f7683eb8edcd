//! SHA-256 digests: of files, and as text.

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::CatalogueError;

/// SHA-256 of a file, in hexadecimal.
///
/// # Errors
///
/// When the file cannot be read.
pub fn file_digest(file: &Path) -> Result<String, CatalogueError> {
    let bytes = fs::read(file).map_err(CatalogueError::file("read", file))?;
    Ok(Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

/// The bytes of a SHA-256 that is written as 64 hexadecimal digits; `None` for any other text.
pub fn sha256_from_hexadecimal(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    // A sign before a digit would be taken for a number.
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * index..2 * index + 2)?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_sha256() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("abc");
        fs::write(&file, "abc").unwrap();
        // FIPS 180-4, example of a one-block message.
        assert_eq!(
            file_digest(&file).unwrap(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn only_64_digits_are_a_digest() {
        let digits = "0f".repeat(31) + "A5";
        let digest = sha256_from_hexadecimal(&digits).unwrap();
        assert_eq!((digest[0], digest[31]), (0x0f, 0xa5));
        let signed = "+f".repeat(32);
        let wide = "é".repeat(32);
        for text in [&digits[1..], &(digits.clone() + "0"), &signed, &wide] {
            assert_eq!(sha256_from_hexadecimal(text), None, "{text}");
        }
    }
}
