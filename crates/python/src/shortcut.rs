//! Shortcuts for calls of one `str` that doesn't change.

use std::ffi::{CString, c_int};
use std::sync::OnceLock;

use pyo3::ffi;
use pyo3::prelude::*;

/// Defines shortcuts for functions. If a call has only one argument, and this is a `str` that doesn't change, the
/// shortcut returns the argument. It passes all other calls on to the function. Each shortcut has the name of its
/// function, a check, and the codec that the check takes. If the check returns true, the string doesn't change.
///
/// For a short clean string, pyo3's conversion of the arguments would take longer than the work.
macro_rules! shortcuts {
    ($($name:ident $check:ident $codec:expr;)+) => {
        /// Replaces functions of `module` by their shortcuts.
        pub(crate) fn add_shortcuts(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $({
                static FUNCTION: OnceLock<$crate::shortcut::Call> = OnceLock::new();

                /// # Safety
                ///
                /// Python calls this function by the convention `METH_FASTCALL | METH_KEYWORDS`.
                unsafe extern "C" fn call(
                    module: *mut ffi::PyObject,
                    args: *const *mut ffi::PyObject,
                    positional: ffi::Py_ssize_t,
                    names: *mut ffi::PyObject,
                ) -> *mut ffi::PyObject {
                    // SAFETY: `args` has `positional` positional arguments. `names` is null if there are no keyword
                    // arguments. `function` has the same calling convention as `call`.
                    unsafe {
                        let pass_on = |positional, names| match FUNCTION.get() {
                            Some(function) => function(module, args, positional, names),
                            None => std::ptr::null_mut(),
                        };
                        if positional != 1 || !names.is_null() {
                            return pass_on(positional, names);
                        }
                        if $crate::shortcut::is_unchanged(*args, |src| internal::$check(const { &$codec }, src)) {
                            return ffi::Py_NewRef(*args);
                        }
                        // Both arguments are constants here, so no register has to keep them during the check.
                        pass_on(1, std::ptr::null_mut())
                    }
                }
                $crate::shortcut::add_shortcut(module, stringify!($name), &FUNCTION, call)?;
            })+
            Ok(())
        }
    };
}
pub(crate) use shortcuts;

/// A C function of a module with the convention `METH_FASTCALL | METH_KEYWORDS`.
pub(crate) type Call = ffi::PyCFunctionFastWithKeywords;

/// Returns true if `object` is a `str`, not a subclass, and `is_clean` returns true for its UTF-8 form.
///
/// # Safety
///
/// `object` is a Python object, and this thread is attached to the interpreter.
#[inline(always)]
pub(crate) unsafe fn is_unchanged(object: *mut ffi::PyObject, is_clean: impl FnOnce(&[u8]) -> bool) -> bool {
    // SAFETY: the caller meets the `# Safety` conditions of this function. Python keeps the UTF-8 form, which has `len`
    // bytes, as long as the object.
    unsafe {
        if ffi::PyUnicode_CheckExact(object) == 0 {
            return false;
        }
        let mut len = 0;
        let utf8 = ffi::PyUnicode_AsUTF8AndSize(object, &mut len);
        if utf8.is_null() {
            // The shortcut now calls the full function, which raises the error again or lets urllib handle it.
            ffi::PyErr_Clear();
            return false;
        }
        is_clean(std::slice::from_raw_parts(utf8.cast(), len as usize))
    }
}

/// Replaces the function `name` of `module` by `shortcut`, and keeps the replaced function in `stored`.
pub(crate) fn add_shortcut(
    module: &Bound<'_, PyModule>,
    name: &str,
    stored: &OnceLock<Call>,
    shortcut: Call,
) -> PyResult<()> {
    const FLAGS: c_int = ffi::METH_FASTCALL | ffi::METH_KEYWORDS;
    let old = module.getattr(name)?;
    // SAFETY: `old` is alive. If its flags are `FLAGS`, its C function takes the arguments of the type `Call`.
    let function = unsafe {
        match ffi::PyCFunction_GetFunction(old.as_ptr()) {
            Some(function) if ffi::PyCFunction_GetFlags(old.as_ptr()) == FLAGS => {
                std::mem::transmute::<ffi::PyCFunction, Call>(function)
            }
            _ => return Ok(()),
        }
    };
    // If the module is imported again, `stored` already has the function.
    let _ = stored.set(function);
    // Python finds the signature in the first line of the documentation.
    let signature: String = old.getattr("__text_signature__")?.extract()?;
    let doc: String = old.getattr("__doc__")?.extract()?;
    let (name_of_c, doc) = (CString::new(name)?, CString::new(format!("{name}{signature}\n--\n\n{doc}"))?);
    // Python never frees the functions of this module, so their definitions stay too.
    let definition = Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: name_of_c.into_raw(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: shortcut },
        ml_flags: FLAGS,
        ml_doc: doc.into_raw(),
    }));
    let module_name = old.getattr("__module__")?;
    // SAFETY: `definition` lives forever, and `module` and `module_name` are objects. The result is a new reference, or
    // null.
    let new = unsafe {
        let new = ffi::PyCFunction_NewEx(definition, module.as_ptr(), module_name.as_ptr());
        Bound::from_owned_ptr_or_err(module.py(), new)?
    };
    module.setattr(name, new)
}
