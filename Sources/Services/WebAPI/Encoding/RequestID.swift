/// A random UUID that names an answer in logs and bug reports.
enum RequestID {
    /// The header of answers that has it.
    static let header = "X-Apple-Request-UUID"

    static func make() -> String {
        let digits = Array("0123456789abcdef".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(36)
        var random: UInt64 = 0
        for index in 0..<32 {
            if index % 16 == 0 { random = UInt64.random(in: 0 ... .max) }
            if [8, 12, 16, 20].contains(index) { bytes.append(UInt8(ascii: "-")) }
            bytes.append(digits[Int(random & 15)])
            random >>= 4
        }
        bytes[14] = UInt8(ascii: "4")
        return String(decoding: bytes, as: UTF8.self)
    }
}
