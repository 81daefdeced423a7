import RecordStore

#if canImport(Glibc)
    import Glibc
#endif

/// Folders of the file system.
enum Folders {
    /// Makes a folder and those above it, as far as they are missing; their names are safe from a power cut.
    static func make(_ path: String) throws {
        var built = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            let above = built.isEmpty ? "/" : built
            built += "/\(part)"
            guard mkdir(built, 0o700) == 0 else {
                guard errno == EEXIST else { throw StoreError.file("make the folder", built) }
                continue
            }
            try synchronize(above)
        }
    }

    /// Removes the files of a folder.
    static func empty(_ path: String) throws {
        guard let stream = opendir(path) else { throw StoreError.file("read the folder", path) }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { unlink("\(path)/\(name)") }
        }
    }

    /// Waits until the names in a folder are safe from a crash.
    static func synchronize(_ folder: String) throws {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError.file("open the folder", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw StoreError.file("synchronise the folder", folder) }
    }
}

extension StoreError {
    /// The failure of an attempt on a file, in the words of the system (`errno`).
    static func file(_ attempt: String, _ path: String) -> StoreError {
        let code = errno
        let text = "cannot \(attempt) \(path): \(String(cString: strerror(code)))"
        return code == ENOSPC || code == EDQUOT ? .full(text) : .failed(text)
    }
}
