//! Structs of settings, which may come to have more: they are made from what is left open, a method for each thing that is said.

/// What a setting can be said by: itself, or what it is where that is optional.
pub trait Said<T> {
    /// The setting.
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
