//! The job array of the campaign's manual, on a Slurm cluster that is this machine alone.
//!
//! Only with NGCC_TEST_ALL set, and where Debian's `slurm-wlm` is installed: it is nothing that the
//! project needs. The cluster has a key, ports and folders of its own, and ends with the test.

use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// Longest wait for the cluster to come up.
const PATIENCE: Duration = Duration::from_secs(60);

/// The programs of a cluster, each with the folder where Debian has it.
const PROGRAMS: [&str; 3] = [
    "/usr/sbin/munged",
    "/usr/sbin/slurmctld",
    "/usr/sbin/slurmd",
];

/// Daemons, ended in the reverse order of their start.
struct Cluster<'a> {
    folder: &'a Path,
    daemons: Vec<Child>,
}

impl Drop for Cluster<'_> {
    fn drop(&mut self) {
        for mut daemon in self.daemons.drain(..).rev() {
            if let Some(id) = i32::try_from(daemon.id()).ok().and_then(Pid::from_raw) {
                // One that has ended already needs no signal.
                let _ = kill_process(id, Signal::TERM);
            }
            let _ = daemon.wait();
        }
    }
}

/// What a command says that must go well.
fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

fn first_line_of(program: &str, argument: &str) -> String {
    said(&Command::new(program).arg(argument).output().unwrap())
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

impl<'a> Cluster<'a> {
    fn start(folder: &'a Path) -> Self {
        for place in ["munge", "state", "spool"] {
            let place = folder.join(place);
            fs::create_dir(&place).unwrap();
            fs::set_permissions(&place, Permissions::from_mode(0o700)).unwrap();
        }
        let key = folder.join("munge/key");
        fs::write(&key, [0x5a; 1024]).unwrap();
        fs::set_permissions(&key, Permissions::from_mode(0o400)).unwrap();
        let (host, user) = (first_line_of("hostname", "-s"), first_line_of("id", "-un"));
        let (control, node) = (free_port(), free_port());
        let root = folder.display();
        let settings = format!(
            "ClusterName=test\nSlurmctldHost={host}(127.0.0.1)\n\
             AuthType=auth/munge\nAuthInfo=socket={root}/munge/socket\n\
             SlurmUser={user}\nSlurmdUser={user}\n\
             SlurmctldPort={control}\nSlurmdPort={node}\n\
             SlurmctldPidFile={root}/slurmctld.pid\nSlurmdPidFile={root}/slurmd.pid\n\
             StateSaveLocation={root}/state\nSlurmdSpoolDir={root}/spool\n\
             ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nMailProg=/bin/true\n\
             NodeName={host} NodeAddr=127.0.0.1 CPUs=2\n\
             PartitionName=all Nodes=ALL Default=YES State=UP\n"
        );
        fs::write(folder.join("slurm.conf"), settings).unwrap();
        let mut cluster = Self {
            folder,
            daemons: Vec::new(),
        };
        let [munged, slurmctld, slurmd] = PROGRAMS;
        let places = [
            "key-file=munge/key",
            "socket=munge/socket",
            "pid-file=munge/pid",
        ];
        let places = places
            .iter()
            .chain(&["log-file=munge/log", "seed-file=munge/seed"]);
        let places: Vec<String> = places
            .map(|place| format!("--{}", place.replace('=', &format!("={root}/"))))
            .collect();
        cluster.daemon(
            Command::new(munged)
                .args(["--foreground", "--force"])
                .args(places),
        );
        cluster.wait("munge", || folder.join("munge/socket").exists());
        cluster.daemon(Command::new(slurmctld).arg("-D"));
        cluster.daemon(Command::new(slurmd).args(["-D", "-N", &host]));
        let is_idle = || {
            let state = cluster.client("sinfo").args(["-h", "-o", "%T"]).output();
            state.is_ok_and(|output| output.stdout.starts_with(b"idle"))
        };
        cluster.wait("Slurm", is_idle);
        cluster
    }

    fn client(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("SLURM_CONF", self.folder.join("slurm.conf"));
        command
    }

    fn daemon(&mut self, command: &mut Command) {
        let log = fs::File::create(self.folder.join(format!("log-{}", self.daemons.len())));
        command
            .env("SLURM_CONF", self.folder.join("slurm.conf"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log.unwrap());
        self.daemons.push(command.spawn().unwrap());
    }

    fn wait(&self, what: &str, is_there: impl Fn() -> bool) {
        let start = Instant::now();
        while !is_there() {
            let logs = (0..3).map(|number| self.folder.join(format!("log-{number}")));
            let logs: Vec<String> = logs.flat_map(fs::read_to_string).collect();
            assert!(
                start.elapsed() < PATIENCE,
                "{what} does not come up: {logs:?}"
            );
            sleep(Duration::from_millis(100));
        }
    }
}

#[test]
fn the_tasks_of_a_job_array_are_the_parts_of_a_campaign() {
    if std::env::var_os("NGCC_TEST_ALL").is_none() {
        return;
    }
    if !PROGRAMS.iter().all(|program| Path::new(program).exists()) {
        eprintln!("not tested: Slurm is not installed (apt-get install slurm-wlm)");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let cluster = Cluster::start(folder.path());
    let (host, root) = (env!("CARGO_BIN_EXE_host"), folder.path().display());
    let script = format!(
        "exec {host} campaign --system qemu-virt --only '^pqclean/ML-KEM-(512|768)$' \
         --trial-target 0.005 --no-profile \
         --shard $((SLURM_ARRAY_TASK_ID + 1))/$SLURM_ARRAY_TASK_COUNT \
         --run-dir {root}/part-$SLURM_ARRAY_TASK_ID"
    );
    let output = format!("--output={root}/task-%a");
    let array = ["--wait", "--array=0-1", &output, "--wrap", &script];
    let ended = cluster.client("sbatch").args(array).output().unwrap();
    let tasks = [0, 1].map(|task| fs::read_to_string(folder.path().join(format!("task-{task}"))));
    assert!(ended.status.success(), "{ended:?} {tasks:?}");

    let run = |arguments: &[&str]| said(&Command::new(host).args(arguments).output().unwrap());
    let [first, second, all] = ["part-0", "part-1", "all"].map(|name| folder.path().join(name));
    let [first, second, all] = [&first, &second, &all].map(|path| path.to_str().unwrap());
    let merged = run(&["merge", first, second, "--to", all]);
    assert!(merged.starts_with("qemu-virt: 6 records"), "{merged}");
    run(&["validate", all]);
}
