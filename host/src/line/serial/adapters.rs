//! USB serial adapters and debug probes with a serial port, as boards are reached through them.

/// An adapter by its vendor's id and, where only some of the vendor's devices are serial ports, by
/// the product's. The ids are those of the Linux drivers ftdi_sio, cp210x, ch341, pl2303, mct_u232
/// and cdc_acm, and of the vendors' own lists for the probes.
struct Adapter {
    vendor: u16,
    products: &'static [u16],
    name: &'static str,
}

const ADAPTERS: [Adapter; 8] = [
    Adapter {
        vendor: 0x0403,
        products: &[0x6001, 0x6010, 0x6011, 0x6014, 0x6015],
        name: "FTDI",
    },
    Adapter {
        vendor: 0x10c4,
        products: &[0xea60, 0xea70, 0xea71],
        name: "Silicon Labs CP210x",
    },
    Adapter {
        vendor: 0x1a86,
        products: &[0x5523, 0x7522, 0x7523, 0x55d2, 0x55d3, 0x55d4],
        name: "WCH CH34x",
    },
    Adapter {
        vendor: 0x067b,
        products: &[
            0x2303, 0x2304, 0x23a3, 0x23b3, 0x23c3, 0x23d3, 0x23e3, 0x23f3,
        ],
        name: "Prolific PL2303",
    },
    Adapter {
        vendor: 0x04d8,
        products: &[0x00dd],
        name: "Microchip MCP2221",
    },
    Adapter {
        vendor: 0x2e8a,
        products: &[0x0004, 0x000c],
        name: "Raspberry Pi Debug Probe",
    },
    Adapter {
        vendor: 0x1366,
        products: &[],
        name: "SEGGER J-Link",
    },
    Adapter {
        vendor: 0x0d28,
        products: &[0x0204],
        name: "Arm DAPLink",
    },
];

/// Name of a known adapter with these ids.
pub fn name_of(vendor: u16, product: u16) -> Option<&'static str> {
    ADAPTERS
        .iter()
        .find(|adapter| {
            adapter.vendor == vendor
                && (adapter.products.is_empty() || adapter.products.contains(&product))
        })
        .map(|adapter| adapter.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adapters_are_known_by_their_ids() {
        assert_eq!(name_of(0x0403, 0x6001), Some("FTDI"));
        assert_eq!(name_of(0x1366, 0x0105), Some("SEGGER J-Link"));
        // A modem of the same vendor as an adapter is none.
        assert_eq!(name_of(0x04d8, 0x000a), None);
        assert_eq!(name_of(0x12d1, 0x1506), None);
    }
}
