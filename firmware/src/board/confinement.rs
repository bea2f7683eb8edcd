//! What a submission may not ask of the kernel: other processes, other threads, and changes of files.
//!
//! A submission is native code of strangers. One that forks without end takes the machine with it,
//! a thread of its own disturbs what is measured, and nothing that it computes needs either. The
//! filter raises SIGSYS, which becomes a report like any other fault. Files cannot be made, changed
//! or removed: these calls fail with EACCES, as they would for somebody without permission. It is no
//! sandbox for secrets: files can be read.

use std::collections::BTreeMap;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, apply_filter,
};

/// Rules by the number of a system call; none means that every call of it matches.
type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// System calls that start something, or take over or end something else.
const STARTING: &[i64] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_fork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
    libc::SYS_clone,
    libc::SYS_clone3,
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_ptrace,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_send_signal,
    libc::SYS_reboot,
    libc::SYS_kexec_load,
];

/// System calls that send a signal to the process in their first argument.
const SIGNALLING: &[i64] = &[
    libc::SYS_kill,
    libc::SYS_tgkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
];

/// System calls that make, change or remove files, or speak to other machines.
const CHANGING: &[i64] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_unlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rmdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rename,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mkdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_link,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_symlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_creat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    libc::SYS_unlinkat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_mkdirat,
    libc::SYS_linkat,
    libc::SYS_symlinkat,
    libc::SYS_fchmodat,
    libc::SYS_truncate,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_chroot,
    libc::SYS_socket,
    // Its flags are behind a pointer, where no filter can look.
    libc::SYS_openat2,
];

/// System calls that open files, with the place of their flags among the arguments.
const OPENING: &[(i64, u8)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 1),
    (libc::SYS_openat, 2),
];

/// Flags of an opened file that can be changed, or that was made by that.
const FOR_CHANGES: [i32; 3] = [libc::O_WRONLY, libc::O_RDWR, libc::O_CREAT];

/// Confines this thread, and with it everything that a submission does.
///
/// # Errors
///
/// When the kernel has no filters.
pub fn confine() -> Result<(), seccompiler::Error> {
    let process = u64::from(std::process::id());
    apply_filter(&program(
        changing()?,
        SeccompAction::Errno(libc::EACCES as u32),
    )?)?;
    apply_filter(&program(starting(process)?, SeccompAction::Trap)?)
}

fn program(rules: Rules, action: SeccompAction) -> Result<BpfProgram, BackendError> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, SeccompAction::Allow, action, architecture)?.try_into()
}

fn starting(process: u64) -> Result<Rules, BackendError> {
    let mut rules: Rules = STARTING.iter().map(|call| (*call, Vec::new())).collect();
    for call in SIGNALLING {
        // A process that raises a signal sends it to itself.
        let others = condition(0, SeccompCmpOp::Ne, process)?;
        rules.insert(*call, vec![SeccompRule::new(vec![others])?]);
    }
    Ok(rules)
}

fn changing() -> Result<Rules, BackendError> {
    let mut rules: Rules = CHANGING.iter().map(|call| (*call, Vec::new())).collect();
    for (call, place) in OPENING {
        let with_flag = FOR_CHANGES.map(|flag| {
            let flag = u64::from(flag.cast_unsigned());
            let is_set = condition(*place, SeccompCmpOp::MaskedEq(flag), flag)?;
            SeccompRule::new(vec![is_set])
        });
        rules.insert(*call, with_flag.into_iter().collect::<Result<_, _>>()?);
    }
    Ok(rules)
}

fn condition(place: u8, how: SeccompCmpOp, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(place, SeccompCmpArgLen::Dword, how, value)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::io::ErrorKind;

    use super::*;

    /// Asks whether a signal could be sent.
    fn kill(process: i32) -> i32 {
        // SAFETY: signal 0 is sent to nobody.
        unsafe { libc::kill(process, 0) }
    }

    /// How a confined process ends that does this: the signal, or the exit code.
    fn end_of(act: fn() -> i32) -> Result<i32, i32> {
        let mut status = 0;
        // SAFETY: the child runs this function alone and ends without going back to the tests.
        unsafe {
            let child = libc::fork();
            if child == 0 {
                let code = match confine() {
                    Ok(()) => act(),
                    Err(_) => 99,
                };
                libc::_exit(code);
            }
            assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
        }
        match libc::WIFSIGNALED(status) {
            true => Err(libc::WTERMSIG(status)),
            false => Ok(libc::WEXITSTATUS(status)),
        }
    }

    #[test]
    fn another_process_is_none_of_a_submission_s_business() {
        // SAFETY: the copy ends at once, by the filter or by itself.
        let fork = || unsafe { libc::fork() };
        let kill_all = || kill(-1);
        let kill_parent = || kill(std::os::unix::process::parent_id().cast_signed());
        let raise = || kill(std::process::id().cast_signed());
        for act in [fork, kill_all, kill_parent] {
            assert_eq!(end_of(act), Err(libc::SIGSYS));
        }
        assert_eq!(end_of(raise), Ok(0));
    }

    #[test]
    fn files_are_read_and_not_changed() {
        assert_eq!(
            end_of(|| i32::from(File::open("/dev/null").is_err())),
            Ok(0)
        );
        assert_eq!(
            end_of(|| refused(|| File::create("/tmp/x").map(drop))),
            Ok(0)
        );
        assert_eq!(end_of(|| refused(|| fs::remove_file("/tmp/x"))), Ok(0));
        assert_eq!(end_of(|| refused(|| fs::create_dir("/tmp/x"))), Ok(0));
    }

    fn refused(act: impl Fn() -> std::io::Result<()>) -> i32 {
        match act() {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => 0,
            _ => 1,
        }
    }
}
