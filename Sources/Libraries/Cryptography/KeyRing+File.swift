extension KeyRing {
    /// Reads a ring from a file. Waits for the disk.
    package static func load(file: String) throws(KeyRingError) -> KeyRing {
        try KeyRing(parsing: KeyFile(path: file).contents())
    }

    /// Keeps the ring in a file that only its owner can read and write. Whoever opens the name sees the old ring or
    /// the new one, whole, also after a crash. Waits for the disk.
    package func save(file: String) throws(KeyRingError) {
        try KeyFile(path: file).replace(with: serialized())
    }
}
