/// The source of a setting's present value; later cases win over earlier ones.
package enum SettingSource: Sendable, Equatable, CustomStringConvertible {
    case builtIn
    case file(String)
    case environment(String)
    case flag

    package var description: String {
        switch self {
        case .builtIn: "default"
        case .file(let path): "file \(path)"
        case .environment(let name): "environment \(name)"
        case .flag: "flag"
        }
    }
}
