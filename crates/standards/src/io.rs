//! Converts each error of this crate into [`std::io::Error`]. The original error becomes its source.

use std::io::{Error, ErrorKind};

use crate::ecma::EcmaError;
use crate::form::ParseError;
use crate::http::FieldError;
use crate::uri::UriError;
use crate::uri::file::FileError;
use crate::uri::template::TemplateError;

macro_rules! into_io_error {
    ($($(#[$cfg:meta])? $error:ty => $kind:ident;)*) => {$(
        $(#[$cfg])?
        impl From<$error> for Error {
            fn from(error: $error) -> Error {
                Error::new(ErrorKind::$kind, error)
            }
        }
    )*};
}

into_io_error! {
    EcmaError => InvalidData;
    FieldError => InvalidData;
    FileError => InvalidInput;
    ParseError => InvalidData;
    TemplateError => InvalidInput;
    UriError => InvalidData;
    crate::uri::purl::PurlError => InvalidData;
    #[cfg(feature = "serde")]
    crate::form::SerdeError => InvalidData;
    #[cfg(feature = "encoding")]
    crate::charset::UnmappableError => InvalidData;
}
