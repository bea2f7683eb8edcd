//! From the registers and the stack of a fault to its callers, by the image's call frame
//! information (DWARF 5, section 6.4), and by frame records where there is none.

use std::collections::HashMap;

use gimli::{
    BaseAddresses, CfaRule, DebugFrame, EhFrame, Encoding, EndianSlice, EvaluationResult,
    Expression, LittleEndian, Location, Register, RegisterRule, UnwindContext, UnwindOffset,
    UnwindSection, Value,
};
use object::{Object, ObjectSection};
use wire::{Fault, FaultEvent};

use super::elf::Elf;

type Reader<'a> = EndianSlice<'a, LittleEndian>;

/// Callers at most: of a recursion that has no end the report holds no more.
pub const DEPTH: usize = 64;

/// Bytes of the longest indirect call of x86-64.
const LONGEST_CALL: usize = 7;

/// Numbers of registers: DWARF for the Arm 64-bit Architecture (AADWARF64), section 4.1, and System V
/// ABI for AMD64, figure 3.36.
struct Processor {
    /// The first register that a report has.
    first: u16,
    stack_pointer: Register,
    frame_pointer: Register,
    /// The register that a call leaves its return address in; without one it is on the stack.
    link: Option<Register>,
}

const AARCH64: Processor = Processor {
    first: 19,
    stack_pointer: Register(31),
    frame_pointer: Register(29),
    link: Some(Register(30)),
};

const X86_64: Processor = Processor {
    first: 0,
    stack_pointer: Register(7),
    frame_pointer: Register(6),
    link: None,
};

/// Return addresses of the callers, innermost first; `None` where the image cannot be read.
pub fn callers(elf: &Elf, fault: &Fault) -> Option<Vec<u64>> {
    let file = object::File::parse(elf.bytes()).ok()?;
    let is_arm = file.architecture() == object::Architecture::Aarch64;
    let section = |name: &str| {
        let section = file.section_by_name(name);
        let data = section.as_ref().and_then(|section| section.data().ok());
        let address = section.map_or(0, |section| section.address());
        (
            EndianSlice::new(data.unwrap_or_default(), LittleEndian),
            address,
        )
    };
    let (eh_frame, eh_frame_address) = section(".eh_frame");
    let mut debug_frame = DebugFrame::from(section(".debug_frame").0);
    debug_frame.set_address_size(8);
    let mut walk = Walk {
        file: &file,
        processor: if is_arm { &AARCH64 } else { &X86_64 },
        eh_frame: EhFrame::from(eh_frame),
        debug_frame,
        bases: BaseAddresses::default()
            .set_eh_frame(eh_frame_address)
            .set_text(section(".text").1),
        memory: fault
            .stack
            .iter()
            .map(|word| {
                (
                    fault.stack_pointer.wrapping_add(word.offset.into()),
                    word.value,
                )
            })
            .collect(),
        registers: HashMap::new(),
    };
    let numbers = (walk.processor.first..).map(Register);
    walk.registers = numbers.zip(fault.registers.iter().copied()).collect();
    let stack_pointer = walk.processor.stack_pointer;
    walk.registers.insert(stack_pointer, fault.stack_pointer);
    Some(walk.go(fault))
}

struct Walk<'a> {
    file: &'a object::File<'a>,
    processor: &'static Processor,
    eh_frame: EhFrame<Reader<'a>>,
    debug_frame: DebugFrame<Reader<'a>>,
    bases: BaseAddresses,
    /// Words of the stack by address.
    memory: HashMap<u64, u64>,
    registers: HashMap<Register, u64>,
}

impl Walk<'_> {
    fn go(&mut self, fault: &Fault) -> Vec<u64> {
        let mut callers = Vec::new();
        let mut address = fault.address;
        // A return address may be the first one of another function; the byte before it never is.
        let mut is_return = fault.event == FaultEvent::Call;
        while callers.len() < DEPTH {
            let stack_pointer = self.get(self.processor.stack_pointer);
            let looked_up = address.wrapping_sub(is_return.into());
            let by_table = self
                .by_table(&self.eh_frame.clone(), looked_up)
                .or_else(|| self.by_table(&self.debug_frame.clone(), looked_up));
            let next = by_table.or_else(|| match is_return {
                false => self.of_leaf(address),
                true => self.by_frame_record(),
            });
            let Some((next, registers)) = next else {
                break;
            };
            let moved = registers.get(&self.processor.stack_pointer).copied();
            // Callers lie at higher addresses; only a leaf has no frame of its own.
            if next == 0 || moved < stack_pointer || (is_return && moved == stack_pointer) {
                break;
            }
            self.registers = registers;
            address = next;
            is_return = true;
            callers.push(address);
        }
        callers
    }

    fn get(&self, register: Register) -> Option<u64> {
        self.registers.get(&register).copied()
    }

    /// The caller by the table of this section: its address and its registers.
    fn by_table<'s, S>(&self, section: &S, address: u64) -> Option<(u64, HashMap<Register, u64>)>
    where
        S: UnwindSection<Reader<'s>>,
        S::Offset: UnwindOffset<usize>,
    {
        let entry = section
            .fde_for_address(&self.bases, address, S::cie_from_offset)
            .ok()?;
        let encoding = entry.cie().encoding();
        let mut context = UnwindContext::new();
        let row = entry
            .unwind_info_for_address(section, &self.bases, &mut context, address)
            .ok()?;
        let frame = match row.cfa() {
            CfaRule::RegisterAndOffset { register, offset } => {
                self.get(*register)?.wrapping_add_signed(*offset)
            }
            CfaRule::Expression(expression) => {
                self.evaluate(expression.get(section).ok()?, encoding, None)?
            }
        };
        let mut registers = self.registers.clone();
        for (register, rule) in row.registers() {
            let value = match rule {
                RegisterRule::SameValue => self.get(*register),
                RegisterRule::Offset(offset) => self.read(frame.wrapping_add_signed(*offset)),
                RegisterRule::ValOffset(offset) => Some(frame.wrapping_add_signed(*offset)),
                RegisterRule::Register(other) => self.get(*other),
                RegisterRule::Expression(expression) => expression
                    .get(section)
                    .ok()
                    .and_then(|expression| self.evaluate(expression, encoding, Some(frame)))
                    .and_then(|address| self.read(address)),
                RegisterRule::ValExpression(expression) => expression
                    .get(section)
                    .ok()
                    .and_then(|expression| self.evaluate(expression, encoding, Some(frame))),
                _ => None,
            };
            match value {
                Some(value) => registers.insert(*register, value),
                None => registers.remove(register),
            };
        }
        let next = *registers.get(&entry.cie().return_address_register())?;
        registers.insert(self.processor.stack_pointer, frame);
        Some((next, registers))
    }

    /// The value of an expression, which may start from the frame's address.
    fn evaluate(
        &self,
        expression: Expression<Reader<'_>>,
        encoding: Encoding,
        initial: Option<u64>,
    ) -> Option<u64> {
        let mut evaluation = expression.evaluation(encoding);
        if let Some(value) = initial {
            evaluation.set_initial_value(value);
        }
        let mut result = evaluation.evaluate().ok()?;
        loop {
            result = match result {
                EvaluationResult::Complete => break,
                EvaluationResult::RequiresRegister { register, .. } => {
                    let value = Value::Generic(self.get(register)?);
                    evaluation.resume_with_register(value).ok()?
                }
                EvaluationResult::RequiresMemory { address, .. } => {
                    let value = Value::Generic(self.read(address)?);
                    evaluation.resume_with_memory(value).ok()?
                }
                _ => return None,
            };
        }
        match evaluation.result().first()?.location {
            Location::Address { address } => Some(address),
            Location::Value {
                value: Value::Generic(value),
            } => Some(value),
            _ => None,
        }
    }

    fn read(&self, address: u64) -> Option<u64> {
        self.memory.get(&address).copied()
    }

    /// The caller of code without a table, such as a library's or one that is none: the link
    /// register's, or the first on the stack that a call can have put there.
    fn of_leaf(&self, leaf: u64) -> Option<(u64, HashMap<Register, u64>)> {
        let mut registers = self.registers.clone();
        if let Some(link) = self.processor.link {
            let next = self.get(link)?;
            return self
                .is_code(next.wrapping_sub(1))
                .then_some((next, registers));
        }
        let is_outside = !self.is_code(leaf);
        let stack_pointer = self.get(self.processor.stack_pointer)?;
        let mut words: Vec<_> = self.memory.iter().collect();
        words.sort();
        let (address, next) = words
            .into_iter()
            .filter(|(address, _)| **address >= stack_pointer)
            .find(|(_, value)| self.is_after_call(**value, is_outside))?;
        registers.insert(self.processor.stack_pointer, address + 8);
        Some((*next, registers))
    }

    /// The caller by the frame record that the frame pointer leads to.
    fn by_frame_record(&self) -> Option<(u64, HashMap<Register, u64>)> {
        let frame = self.get(self.processor.frame_pointer)?;
        let next = self.read(frame.checked_add(8)?)?;
        let mut registers = self.registers.clone();
        match self.read(frame) {
            Some(caller) => registers.insert(self.processor.frame_pointer, caller),
            None => registers.remove(&self.processor.frame_pointer),
        };
        registers.insert(self.processor.stack_pointer, frame.checked_add(16)?);
        self.is_code(next.wrapping_sub(1))
            .then_some((next, registers))
    }

    fn is_code(&self, address: u64) -> bool {
        self.code_before(address.wrapping_add(1), 1).is_some()
    }

    /// The bytes of code that end there.
    fn code_before(&self, address: u64, length: usize) -> Option<&[u8]> {
        let begin = address.checked_sub(length as u64)?;
        self.file
            .sections()
            .filter(|section| section.kind() == object::SectionKind::Text)
            .find_map(|section| section.data_range(begin, length as u64).ok().flatten())
    }

    /// Whether the instruction before this address is a call of x86-64: `e8` with an offset of four
    /// bytes, or `ff /2` with up to five bytes behind its second one. A library is reached by an
    /// indirect call, or by a direct one of a stub that jumps there: older return addresses of other
    /// calls lie on the stack as well.
    fn is_after_call(&self, address: u64, of_library: bool) -> bool {
        let Some(bytes) = self.code_before(address, LONGEST_CALL) else {
            return false;
        };
        let mut pairs = bytes.windows(2);
        if pairs.any(|pair| pair[0] == 0xff && pair[1] >> 3 & 7 == 2) {
            return true;
        }
        let &[_, _, opcode, ref offset @ ..] = bytes else {
            return false;
        };
        let offset = offset.try_into().map_or(0, i32::from_le_bytes);
        let target = address.wrapping_add_signed(offset.into());
        opcode == 0xe8 && (!of_library || self.is_stub(target))
    }

    /// Whether what lies there leads to a library.
    fn is_stub(&self, address: u64) -> bool {
        self.file.sections().any(|section| {
            let is_table = section.name().is_ok_and(|name| name.starts_with(".plt"));
            is_table && section.data_range(address, 1).is_ok_and(|it| it.is_some())
        })
    }
}
