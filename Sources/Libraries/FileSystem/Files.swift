#if canImport(Glibc)
    import Glibc
#endif

/// A file that cannot be used.
package struct FileError: Error, CustomStringConvertible {
    package let description: String

    /// The failure of the call that just returned, in the words of the system (`errno`).
    package init(_ attempt: String, _ path: String) {
        description = "cannot \(attempt) \(path): \(String(cString: strerror(errno)))"
    }
}

/// Small files and folders. Errors are `FileError`.
package enum Files {
    /// The whole content of a file.
    package static func read(_ path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError("open", path) }
        defer { close(descriptor) }
        var content: [UInt8] = []
        while true {
            let piece = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                count = max(0, Glibc.read(descriptor, buffer.baseAddress, 65_536))
            }
            if piece.isEmpty { return content }
            content += piece
        }
    }

    /// Replaces a file as a whole: readers see the old or the new content, and after a power cut the new one. Readable
    /// by its owner only.
    package static func replace(_ path: String, with content: [UInt8]) throws {
        let file = try FileReplacement(path)
        try file.write(content)
        try file.finish()
    }

    /// Copies a file as a whole, piece by piece. Readable by its owner only.
    package static func copy(_ path: String, to target: String) throws {
        let source = open(path, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw FileError("open", path) }
        defer { close(source) }
        let file = try FileReplacement(target)
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = Glibc.read(source, &piece, piece.count)
            guard count >= 0 else { throw FileError("read", path) }
            if count == 0 { break }
            try file.write(piece[..<count])
        }
        try file.finish()
    }

    /// The files in a folder and those below it, by their paths from it; none where it is absent.
    package static func files(below folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var found: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name == "." || name == ".." { continue }
            var status = stat()
            guard stat("\(folder)/\(name)", &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                found += files(below: "\(folder)/\(name)").map { "\(name)/\($0)" }
            } else {
                found.append(name)
            }
        }
        return found.sorted()
    }

    /// The absolute path of a file or folder that is there, without links, `.` and `..`.
    package static func resolved(_ path: String) throws -> String {
        guard let text = realpath(path, nil) else { throw FileError("find", path) }
        defer { free(text) }
        return String(cString: text)
    }

    /// Returns true if the first of two resolved paths is the other, or below it.
    package static func isWithin(_ path: String, _ folder: String) -> Bool {
        path == folder || path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
    }

    /// Returns true if there is a file or folder.
    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Removes a file; one that does not exist is success.
    package static func remove(_ path: String) throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw FileError("remove", path) }
    }

    /// Makes a folder and those above it; their names are safe from a power cut.
    package static func makeFolder(_ path: String) throws {
        var built = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            let above = built.isEmpty ? "/" : built
            built += "/\(part)"
            guard mkdir(built, 0o755) == 0 else {
                guard errno == EEXIST else { throw FileError("make the folder", built) }
                continue
            }
            try synchronizeFolder(above)
        }
    }

    /// Writes all bytes to an open file.
    /// - Parameter path: the file's, for the error.
    package static func write(
        _ bytes: some Collection<UInt8>, to descriptor: Int32, at path: String
    ) throws {
        var rest = ArraySlice(bytes)
        while !rest.isEmpty {
            let part = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard part > 0 else { throw FileError("write", path) }
            rest = rest.dropFirst(part)
        }
    }

    /// Gives an open file the name of another, whose place it takes, once all its bytes are on the disk: readers see
    /// the old or the new content, and after a power cut the new one.
    package static func move(
        _ path: String, openAs descriptor: Int32, to target: String
    ) throws {
        guard fsync(descriptor) == 0 else { throw FileError("write", path) }
        guard rename(path, target) == 0 else { throw FileError("replace", target) }
        try synchronizeFolder(target.lastIndex(of: "/").map { String(target[...$0]) } ?? ".")
    }

    /// Waits until the names in a folder are on the disk.
    package static func synchronizeFolder(_ folder: String) throws {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError("open the folder", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw FileError("synchronise the folder", folder) }
    }
}
