//! The macro that defines an error with an offset.

/// Defines an error with an offset, and the enum of its kinds. After each kind comes its message, which can use the offset
/// and the member of the kind.
macro_rules! positioned_error {
    (
        $(#[$error_doc:meta])*
        $error:ident {
            $(#[$offset_doc:meta])*
            $offset:ident
        }
        $kind:ident {
            $(
                $(#[$doc:meta])*
                $name:ident $(($field:ident: $type:ty))? $({ $(#[$member_doc:meta])* $member:ident: $member_type:ty })?
                => $message:literal,
            )+
        }
    ) => {
        $(#[$error_doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub struct $error {
            $(#[$offset_doc])*
            pub $offset: usize,
            /// The kind of error.
            pub kind: $kind,
        }

        #[doc = concat!("The kind of [`", stringify!($error), "`].")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $kind {
            $(
                $(#[$doc])*
                $name $(($type))? $({ $(#[$member_doc])* $member: $member_type })?,
            )+
        }

        impl $error {
            /// Creates an error from its parts, for tests and for code that finds errors by other means.
            #[must_use]
            pub const fn new($offset: usize, kind: $kind) -> $error {
                $error { $offset, kind }
            }
        }

        impl core::fmt::Display for $error {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                let $offset = self.$offset;
                match self.kind {
                    $($kind::$name $(($field))? $({ $member })? => write!(f, $message),)+
                }
            }
        }

        impl core::error::Error for $error {}
    };
}
pub(crate) use positioned_error;
