//! Structs of settings, which may get more fields: built from their defaults, with a setter for each field.

/// Argument of a setter: a value of the field's type, or of the type inside its `Option`.
pub trait Said<T> {
    /// The value of the field.
    fn said(self) -> T;
}

impl<T> Said<T> for T {
    fn said(self) -> T {
        self
    }
}

impl<T> Said<Option<T>> for T {
    fn said(self) -> Option<T> {
        Some(self)
    }
}

impl Said<Option<String>> for &str {
    fn said(self) -> Option<String> {
        Some(self.to_owned())
    }
}

impl<T, const N: usize> Said<Vec<T>> for [T; N] {
    fn said(self) -> Vec<T> {
        self.into()
    }
}

/// Declares a struct of settings with a method of the same name for each of them.
macro_rules! settable {
    ($(#[$attr:meta])* pub struct $Name:ident { $($(#[doc = $doc:literal])+ pub $field:ident: $ty:ty,)+ }) => {
        $(#[$attr])*
        #[non_exhaustive]
        pub struct $Name { $($(#[doc = $doc])+ pub $field: $ty,)+ }

        impl $Name {
            $(
                $(#[doc = $doc])+
                #[must_use]
                pub fn $field(mut self, $field: impl crate::settable::Said<$ty>) -> Self {
                    self.$field = $field.said();
                    self
                }
            )+
        }
    };
}
