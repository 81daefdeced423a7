// Written by scripts/generate-messages from Shades.proto: change that file and run it again.
// swift-format-ignore-file

import ProtocolBuffers

/// Lower-case names without the enum's name in front.
package enum Shade: WireEnumeration {
    case unknown
    case light
    case dark
    case unrecognized(Int32)

    package init(rawValue: Int32) {
        switch rawValue {
        case 0: self = .unknown
        case 1: self = .light
        case 2: self = .dark
        default: self = .unrecognized(rawValue)
        }
    }

    package var rawValue: Int32 {
        switch self {
        case .unknown: 0
        case .light: 1
        case .dark: 2
        case .unrecognized(let number): number
        }
    }
}
