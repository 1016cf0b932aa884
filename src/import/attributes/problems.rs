//! Problems reported for arguments that cannot be stored as written.

use crate::import::contract::ProblemKind;

pub const SHORTENED: ProblemKind = ProblemKind::remark(
    "long argument",
    "Arguments of more than 200 characters are shortened. The source record shows them in full.",
);
pub const ROUNDED: ProblemKind = ProblemKind::remark(
    "rounded number",
    "Numbers with more than six decimals are rounded to millionths, larger ones to whole numbers. The source \
     record shows all digits.",
);
pub const LARGE: ProblemKind = ProblemKind::remark(
    "large number",
    "The number does not fit into 64 bits (as millionths, if other arguments of the same name have decimals). It is \
     left out of sums. The source record shows it.",
);
pub const MANY_ARGS: ProblemKind = ProblemKind::remark(
    "many arguments",
    "More arguments than are kept separately (64 per event, 4,096 names in all). The source record shows all of them.",
);
