package import CloudModel

extension UserRecordName {
    /// A user's name of one hexadecimal digit, repeated, which distinguishes the users of a test.
    package static func sample(_ digit: Character) -> UserRecordName {
        UserRecordName(trusted: "_" + String(repeating: digit, count: 32))
    }
}
