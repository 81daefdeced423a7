import CloudMessages
package import CloudModel
import Cryptography
import EventLog
import Matching
import ProtocolBuffers

#if canImport(Glibc)
    import Glibc
#endif

/// Keeps snapshots of a matcher's table of subscriptions in a folder: one file for each container's environment.
///
/// A snapshot may be missing, cut off, old, or of another log: then the topic is read from its beginning. `DESIGN.md`
/// says what makes one good.
package struct TableSnapshots: Sendable {
    /// A snapshot that was begun longer ago is not used, whatever the topic still has: replicas are compacted apart from
    /// each other, from 24 hours (`delete.retention.ms`) on. A wrong clock can only refuse a snapshot; the tombstone in the
    /// header decides which one is good.
    static let ageMax = Int64(12 * 3_600_000)

    private let folder: String
    private let now: @Sendable () -> Timestamp
    private let givenProgram: [UInt8]?
    /// The hash of the program, which alone can read the images of indexes that it wrote; empty when it is not known,
    /// and then none is written or read. Asked for the first time, it waits for the disk.
    var program: [UInt8] { givenProgram ?? Self.thisProgram }

    /// - Parameter now: the time of this machine.
    package init(folder: String, now: @escaping @Sendable () -> Timestamp) {
        self.init(folder: folder, program: nil, now: now)
    }

    init(folder: String, program: [UInt8]?, now: @escaping @Sendable () -> Timestamp) {
        self.folder = folder
        givenProgram = program
        self.now = now
    }

    /// The hash of the file that this process runs, which is readable on Linux even if another has taken its place.
    private static let thisProgram: [UInt8] = {
        let descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        return SHA256.hash(fileDescriptor: descriptor)?.hash ?? []
    }()

    /// The path of a table's snapshot.
    func path(_ table: TableIdentity) -> String { "\(folder)/\(table.topic.rawValue).snapshot" }

    /// The name that a snapshot has while it is being read.
    private func claimedPath(_ table: TableIdentity) -> String { path(table) + ".reading" }

    /// Opens the snapshot of a table, when there is one that may be used. It keeps another name until `keep`: one at
    /// which a process died is not read again, since no mark says which version it was.
    func claim(_ table: TableIdentity) throws -> (file: SnapshotFile, header: SnapshotHeader)? {
        _ = unlink(claimedPath(table))
        guard rename(path(table), claimedPath(table)) == 0, let file = SnapshotFile.open(claimedPath(table)) else {
            return nil
        }
        do {
            return (file, try header(of: file, table))
        } catch {
            file.close()
            throw error
        }
    }

    /// Gives a snapshot that was read its name back.
    func keep(_ table: TableIdentity) { _ = rename(claimedPath(table), path(table)) }

    private func header(of file: SnapshotFile, _ table: TableIdentity) throws -> SnapshotHeader {
        guard let part = try file.next() else { throw SnapshotFailure("it has no header") }
        guard SHA256.hash(part.part) == part.hash else { throw SnapshotFailure("the hash of its header is another") }
        let header = try SnapshotHeader(decoding: part.part)
        guard table == TableIdentity(header) else { throw SnapshotFailure("it is of another log or topic") }
        let age = now().milliseconds - header.begun
        guard (0..<Self.ageMax).contains(age) else { throw SnapshotFailure("it is \(age) ms old") }
        return header
    }

    /// Begins a snapshot. It takes the place of the one before with `publish`.
    func begin(
        _ table: TableIdentity, offset: Int64, marks: TableMarks, tombstone: EntryMark?, reached: CommitSequence,
        versions: Int, image: IndexImage
    ) throws -> SnapshotFile {
        try makeFolder()
        let file = try SnapshotFile.make(path(table) + ".new")
        try file.append(
            SnapshotHeader(
                log: table.log, topic: table.topic.rawValue, incarnation: table.incarnation, offset: offset,
                reached: reached.rawValue, begun: now().milliseconds, versions: Int64(versions), program: program,
                imageParts: Int64(image.pieces.count), marks: marks.messages,
                tombstone: tombstone.map { SnapshotMark(offset: $0.offset, hash: $0.hash) }
            ).encoded())
        for piece in image.pieces { try file.append(piece) }
        return file
    }

    /// Makes the folder, and those above it.
    private func makeFolder() throws {
        var built = folder.hasPrefix("/") ? "" : "."
        for part in folder.split(separator: "/") {
            built += "/\(part)"
            guard mkdir(built, 0o755) == 0 || errno == EEXIST else {
                throw SnapshotFailure("cannot make the folder \(built): \(String(cString: strerror(errno)))")
            }
        }
    }

    /// Ends a snapshot, which is the table's from now on.
    func publish(_ file: SnapshotFile, _ table: TableIdentity) throws {
        try file.finish()
        guard rename(path(table) + ".new", path(table)) == 0 else {
            throw SnapshotFailure("cannot rename it to \(path(table)): \(String(cString: strerror(errno)))")
        }
    }
}

extension TableIdentity {
    fileprivate init(_ header: SnapshotHeader) {
        self.init(log: header.log, topic: TopicName(header.topic), incarnation: header.incarnation)
    }
}
