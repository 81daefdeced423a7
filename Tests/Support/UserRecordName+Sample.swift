package import CloudModel

extension UserRecordName {
    /// A user's name of one hexadecimal digit, repeated: tests tell their users apart by it.
    package static func sample(_ digit: Character) -> UserRecordName {
        UserRecordName(trusted: "_" + String(repeating: digit, count: 32))
    }
}
