import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// The file of one process, mapped: slots of 512 bytes. Words of eight bytes: 0 the state (0 idle, 1 busy, 2 busy
/// alone), 1 the item, 2 the bytes of the place's name, which follows.
///
/// `@unchecked`: only the file shares the memory; words are atomic, and a name is written once, before the first state
/// of its slot.
final class MarkFile: @unchecked Sendable {
    private static let slotBytes = 512
    private static let nameBytesMax = slotBytes - 24
    private static let bytes = slotBytes * CrashMarks.slotsMax
    private static let suffix = ".marks"

    private let path: String
    private let descriptor: Int32
    private let memory: UnsafeMutableRawPointer

    private init(path: String, descriptor: Int32) throws {
        self.path = path
        self.descriptor = descriptor
        let memory = mmap(nil, Self.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let memory, memory != MAP_FAILED else {
            close(descriptor)
            throw CrashMarksError("map", path)
        }
        self.memory = memory
    }

    deinit {
        munmap(memory, Self.bytes)
        close(descriptor)
    }

    /// A new file under a name of its own.
    static func make(in folder: String) throws -> MarkFile {
        let path = "\(folder)/\(getpid())-\(UInt32.random(in: 0 ... .max))\(suffix)"
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CrashMarksError("make", path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, ftruncate(descriptor, off_t(bytes)) == 0 else {
            close(descriptor)
            throw CrashMarksError("make", path)
        }
        return try MarkFile(path: path, descriptor: descriptor)
    }

    /// The files whose processes have ended: nobody holds their locks.
    static func abandoned(in folder: String) throws -> [MarkFile] {
        guard let listing = opendir(folder) else { throw CrashMarksError("list", folder) }
        defer { closedir(listing) }
        var files: [MarkFile] = []
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.hasSuffix(suffix), let file = takeOver("\(folder)/\(name)") else { continue }
            files.append(file)
        }
        return files
    }

    /// The file of a process that has ended. One that is just being made has no size yet: it is left alone.
    private static func takeOver(_ path: String) -> MarkFile? {
        let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &status) == 0, status.st_size == bytes,
            let file = try? MarkFile(path: path, descriptor: descriptor)
        else {
            close(descriptor)
            return nil
        }
        return file
    }

    func remove() { unlink(path) }

    /// The items that are noted as begun and not done.
    var marks: [CrashMarks.Left] {
        (0..<CrashMarks.slotsMax).compactMap { number in
            let state = word(number, 0).pointee.load(ordering: .acquiring)
            guard state == 1 || state == 2 else { return nil }
            let count = min(
                max(0, Int(truncatingIfNeeded: word(number, 2).pointee.load(ordering: .relaxed))), Self.nameBytesMax)
            let name = UnsafeRawBufferPointer(start: memory + number * Self.slotBytes + 24, count: count)
            return CrashMarks.Left(
                place: String(decoding: name, as: UTF8.self), item: word(number, 1).pointee.load(ordering: .relaxed),
                isAlone: state == 2)
        }
    }

    func name(_ number: Int, _ place: String) {
        let bytes = Array(place.utf8.prefix(Self.nameBytesMax))
        UnsafeMutableRawBufferPointer(start: memory + number * Self.slotBytes + 24, count: bytes.count)
            .copyBytes(from: bytes)
        word(number, 2).pointee.store(Int64(bytes.count), ordering: .relaxed)
    }

    func set(_ number: Int, _ item: Int64, isAlone: Bool) {
        word(number, 1).pointee.store(item, ordering: .relaxed)
        word(number, 0).pointee.store(isAlone ? 2 : 1, ordering: .releasing)
    }

    func clear(_ number: Int) { word(number, 0).pointee.store(0, ordering: .releasing) }

    private func word(_ number: Int, _ index: Int) -> UnsafeMutablePointer<Atomic<Int64>> {
        (memory + number * Self.slotBytes + index * 8).assumingMemoryBound(to: Atomic<Int64>.self)
    }
}
