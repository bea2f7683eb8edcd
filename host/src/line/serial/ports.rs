//! The serial ports of this machine, and which of them leads to a board.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serialport::{SerialPortInfo, SerialPortType, available_ports};

use super::adapters;
use super::error::PortError;

/// Where udev keeps names of ports that stay the same when a port is unplugged and plugged in.
const BY_ID: &str = "/dev/serial/by-id";

/// Where the kernel lists its terminals; without it there are none to be found.
const TERMINALS: &str = "/sys/class/tty";

/// A serial port of this machine.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Port {
    /// The device, by the kernel's name.
    pub device: PathBuf,
    /// A name that stays the same wherever and whenever it is plugged in.
    pub by_id: Option<PathBuf>,
    /// What is plugged in, where it is a USB device.
    pub usb: Option<Usb>,
}

/// A USB device.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Usb {
    /// The vendor's id.
    pub vendor: u16,
    /// The product's id.
    pub product: u16,
    /// What kind of adapter that is, if it is a known one.
    pub adapter: Option<&'static str>,
    /// What it says of itself: manufacturer, product and serial number.
    pub words: String,
}

impl Port {
    /// The name to find it by: the lasting one, where there is one.
    pub fn name(&self) -> &Path {
        self.by_id.as_deref().unwrap_or(&self.device)
    }

    /// The known adapter that it is.
    pub fn adapter(&self) -> Option<&'static str> {
        self.usb.as_ref()?.adapter
    }
}

/// All serial ports.
///
/// # Errors
///
/// When the kernel's list cannot be read.
pub fn list() -> Result<Vec<Port>, PortError> {
    if !Path::new(TERMINALS).is_dir() {
        return Ok(Vec::new());
    }
    let found = available_ports().map_err(|error| PortError::List {
        reason: error.to_string(),
    })?;
    Ok(described(found, Path::new(BY_ID)))
}

fn described(found: Vec<SerialPortInfo>, by_id: &Path) -> Vec<Port> {
    let mut ports: Vec<Port> = found
        .into_iter()
        .map(|info| {
            let device = PathBuf::from(info.port_name);
            Port {
                by_id: lasting_name(by_id, &device),
                usb: match info.port_type {
                    SerialPortType::UsbPort(usb) => Some(Usb {
                        vendor: usb.vid,
                        product: usb.pid,
                        adapter: adapters::name_of(usb.vid, usb.pid),
                        words: [usb.manufacturer, usb.product, usb.serial_number]
                            .into_iter()
                            .flatten()
                            .collect::<Vec<_>>()
                            .join(" "),
                    }),
                    _ => None,
                },
                device,
            }
        })
        .collect();
    ports.sort_by(|one, two| one.device.cmp(&two.device));
    ports
}

/// The link in this folder that leads to the device.
fn lasting_name(folder: &Path, device: &Path) -> Option<PathBuf> {
    let device = device.canonicalize().ok()?;
    let links = fs::read_dir(folder).ok()?.flatten();
    let mut names: Vec<PathBuf> = links
        .map(|link| link.path())
        .filter(|link| link.canonicalize().is_ok_and(|target| target == device))
        .collect();
    names.sort();
    names.into_iter().next()
}

/// The port that is taken when none is named: the only known adapter.
///
/// # Errors
///
/// That there is none, or several, with the candidates.
pub fn only_adapter(ports: &[Port]) -> Result<&Port, PortError> {
    let mut known = ports.iter().filter(|port| port.adapter().is_some());
    match (known.next(), known.next()) {
        (Some(port), None) => Ok(port),
        (None, _) => Err(PortError::NoAdapter {
            others: ports.iter().map(words).collect(),
        }),
        (Some(_), Some(_)) => Err(PortError::Several {
            candidates: ports
                .iter()
                .filter(|port| port.adapter().is_some())
                .map(words)
                .collect(),
        }),
    }
}

/// A port in words, with the name to give it by first.
pub fn words(port: &Port) -> String {
    let name = port.name().display();
    match &port.usb {
        Some(usb) => {
            let adapter = usb.adapter.unwrap_or("unknown USB device");
            let (vendor, product) = (usb.vendor, usb.product);
            format!("{name} ({adapter}, {vendor:04x}:{product:04x})")
        }
        None => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serialport::UsbPortInfo;
    use std::os::unix::fs::symlink;

    fn usb(device: &Path, vid: u16, pid: u16) -> SerialPortInfo {
        SerialPortInfo {
            port_name: device.to_string_lossy().into_owned(),
            port_type: SerialPortType::UsbPort(UsbPortInfo {
                vid,
                pid,
                serial_number: Some("A1".into()),
                manufacturer: Some("Maker".into()),
                product: Some("Cable".into()),
            }),
        }
    }

    #[test]
    fn the_only_known_adapter_is_taken_by_its_lasting_name() {
        let folder = tempfile::tempdir().unwrap();
        let [cable, modem, builtin] =
            ["ttyUSB0", "ttyACM0", "ttyS0"].map(|name| folder.path().join(name));
        for device in [&cable, &modem, &builtin] {
            fs::write(device, "").unwrap();
        }
        let by_id = folder.path().join("by-id");
        fs::create_dir(&by_id).unwrap();
        symlink("../ttyUSB0", by_id.join("usb-Maker_Cable_A1-if00-port0")).unwrap();
        let found = vec![
            usb(&cable, 0x0403, 0x6001),
            usb(&modem, 0x12d1, 0x1506),
            SerialPortInfo {
                port_name: builtin.to_string_lossy().into_owned(),
                port_type: SerialPortType::Unknown,
            },
        ];
        let ports = described(found.clone(), &by_id);
        let port = only_adapter(&ports).unwrap();
        assert_eq!(port.adapter(), Some("FTDI"));
        assert_eq!(port.name(), by_id.join("usb-Maker_Cable_A1-if00-port0"));
        assert_eq!(port.usb.as_ref().unwrap().words, "Maker Cable A1");

        let none = only_adapter(&ports[..2]).unwrap_err();
        let PortError::NoAdapter { others } = &none else {
            panic!("{none:?}");
        };
        assert!(others[0].contains("unknown USB device"), "{others:?}");

        let mut two = found;
        two.push(usb(&modem, 0x10c4, 0xea60));
        let several = only_adapter(&described(two, &by_id)).err();
        let Some(PortError::Several { candidates }) = several else {
            panic!("{several:?}");
        };
        assert!(candidates.iter().any(|it| it.contains("CP210x")));
    }
}
