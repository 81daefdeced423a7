extension KeyRing {
    /// Reads a ring from a file. Waits for the disk.
    package static func load(file: String) throws(KeyRingError) -> KeyRing {
        try KeyRing(parsing: KeyFile(path: file).contents())
    }

    /// A ring that `refresh` brings up to date with its file, and so all copies of it. Waits for the disk.
    package static func following(file: String) throws(KeyRingError) -> KeyRing {
        KeyRing(following: try KeyRingSource(path: file))
    }

    /// Checks whether the file that the ring follows has changed, and reads it then. A file that cannot be read, or
    /// belongs to another service, leaves the ring unchanged. Waits for the disk.
    /// - Returns: whether the ring has changed.
    package func refresh() throws(KeyRingError) -> Bool { try source?.refresh() ?? false }

    /// Saves the ring in a file that only its owner can read and write. A process that opens the name sees the old ring
    /// or the new one, whole, also after a crash. Waits for the disk.
    package func save(file: String) throws(KeyRingError) {
        try KeyFile(path: file).replace(with: serialized())
    }
}
