import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// Marks of the item that a process works on, in memory that outlives it: a memory-mapped file, so that a mark costs a
/// store and no system call, and the system keeps it however the process ends. Later processes read the marks of
/// crashed ones.
///
/// Each process has a file of its own in a folder, locked while it lives. A power cut may lose marks.
package final class CrashMarks: Sendable {
    /// An item that a process was working on when it died.
    package struct Left: Hashable, Sendable {
        /// The place, as it was given to `slot(for:)`.
        package var place: String
        /// The number of the item.
        package var item: Int64
        /// Indicates whether nothing else was to be worked on meanwhile.
        package var isAlone: Bool

        package init(place: String, item: Int64, isAlone: Bool) {
            self.place = place
            self.item = item
            self.isAlone = isAlone
        }
    }

    /// Places at which a process works at once.
    package static let slotsMax = 4096

    private let file: MarkFile
    /// The files of the dead, locked until what they say is stored elsewhere.
    private let dead: Mutex<[MarkFile]>
    private let used = Mutex(0)

    /// Makes the process's own file in a folder, and takes over those of processes that have died.
    /// - Throws: `CrashMarksError` when the folder cannot be written.
    package init(folder: String) throws {
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw CrashMarksError("make the folder", folder) }
        dead = Mutex(try MarkFile.abandoned(in: folder))
        file = try MarkFile.make(in: folder)
    }

    /// The items that processes were working on when they died.
    package var left: [Left] { dead.withLock { $0.flatMap { $0.marks } } }

    /// Removes the files of the dead: what they say is stored elsewhere.
    package func forgetLeft() {
        dead.withLock { dead in
            for file in dead { file.remove() }
            dead = []
        }
    }

    /// A slot at which one item at a time is marked; nil if there are `slotsMax` already. A slot is kept until the
    /// process ends: ask once for each place.
    package func slot(for place: String) -> CrashMarkSlot? {
        let number = used.withLock { used -> Int? in
            guard used < Self.slotsMax else { return nil }
            used += 1
            return used - 1
        }
        return number.map { CrashMarkSlot(file, number: $0, place: place) }
    }

    deinit { file.remove() }
}

/// A place at which a process works on one item at a time.
package final class CrashMarkSlot: Sendable {
    private let file: MarkFile
    private let number: Int

    fileprivate init(_ file: MarkFile, number: Int, place: String) {
        self.file = file
        self.number = number
        file.name(number, place)
    }

    /// Marks the item in work.
    package func begin(_ item: Int64, isAlone: Bool = false) { file.set(number, item, isAlone: isAlone) }

    /// Notes that it is done.
    package func end() { file.clear(number) }
}

/// A folder or file for marks cannot be used.
package struct CrashMarksError: Error, CustomStringConvertible {
    package let description: String

    init(_ attempt: String, _ path: String) {
        description = "cannot \(attempt) '\(path)' for crash marks: \(String(cString: strerror(errno)))"
    }
}
