/// The headers of one part of a form.
struct FormHead {
    /// True if `Content-Disposition` names a file, as clients do for files and not for other fields.
    let hasFileName: Bool

    init(_ bytes: some Collection<UInt8>) {
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        hasFileName = lines.contains { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "content-disposition" else { return false }
            return Self.namesFile(parts[1])
        }
    }

    /// Returns true if a parameter of the header is `filename`, in either form of RFC 6266. Text in quotes is none.
    private static func namesFile(_ value: Substring) -> Bool {
        var parameter = ""
        var parameters: [String] = []
        var (isQuoted, isEscaped) = (false, false)
        for character in value.unicodeScalars {
            switch character {
            case _ where isEscaped: isEscaped = false
            case "\\" where isQuoted: isEscaped = true
            case "\"": isQuoted.toggle()
            case ";" where !isQuoted:
                parameters.append(parameter)
                parameter = ""
            case " ", "\t", "\r": break
            case _ where !isQuoted: parameter.unicodeScalars.append(character)
            default: break
            }
        }
        parameters.append(parameter)
        return parameters.dropFirst().contains {
            let name = $0.lowercased()
            return name.hasPrefix("filename=") || name.hasPrefix("filename*=")
        }
    }
}
