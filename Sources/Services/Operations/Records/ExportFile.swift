import FileSystem
package import JSON

#if canImport(Glibc)
    import Glibc
#endif

/// The file of an export until it is complete: records in `FILE.partial`, one a line, and in `FILE.partial.json` the place
/// in the query up to which they are all there. An export that ended early goes on from both.
///
/// A place is written after its lines. Lines behind it stay, as each is whole or cut off: their records are not fetched
/// again. Neither file waits for the disk before the end; where a power cut took lines, the export starts over.
package final class ExportFile {
    private struct Place {
        var marker: JSONValue?
        var isComplete = false
        /// The lines up to here, and their bytes.
        var records = 0
        var bytes = 0
    }

    /// The file of the lines.
    package let partial: String
    private let path: String
    private let subject: JSONValue
    private let file: LockedFile
    private var place = Place()
    private var names: Set<String> = []
    private var bytes = 0

    /// Opens the file of an export that is to be `path`.
    /// - Parameters:
    ///   - subject: the query and its place: an export goes on only with what it began with.
    ///   - resumes: true to go on with an export that ended early, false to start over.
    /// - Throws: `FileError` if the file cannot be written; `ImportError` if another process writes it, or if it is to
    ///   go on and another export began it.
    package init(_ path: String, subject: JSONValue, resumes: Bool) throws {
        self.path = path
        self.subject = subject
        partial = "\(path).partial"
        let isOther = ImportError("\(partial) is being written by another export")
        do throws(LockedFile.Failure) {
            file = try LockedFile(partial, O_RDWR | O_CREAT | O_NOFOLLOW)
        } catch {
            switch error {
            case .held: throw isOther
            case .unusable(let error): throw error
            }
        }
        guard isStillThere else { throw isOther }
        if resumes { try goOn() }
        guard ftruncate(file.descriptor, bytes) == 0, lseek(file.descriptor, bytes, SEEK_SET) == bytes else {
            throw FileError("write", partial)
        }
        if bytes == 0 { try writePlace() }
    }

    /// The number of records in the file.
    package var count: Int { names.count }

    /// True when the last page is in the file.
    package var isComplete: Bool { place.isComplete }

    /// The marker of the next page; nil for the first, and after the last.
    package var marker: JSONValue? { place.marker }

    /// Returns true if a record is in the file.
    func contains(_ record: ExportedRecord) -> Bool { names.contains(record.place) }

    /// Adds a record.
    func append(_ record: ExportedRecord) throws {
        let line = try JSONValue.object(record.members).serialized() + [0x0A]
        try Files.write(line, to: file.descriptor, at: partial)
        bytes += line.count
        names.insert(record.place)
    }

    /// Notes that all records before a marker are in the file.
    /// - Parameter marker: the next page's; nil after the last page.
    func reach(_ marker: JSONValue?) throws {
        place = Place(marker: marker, isComplete: marker == nil, records: names.count, bytes: bytes)
        try writePlace()
    }

    /// Gives the lines the name that they are for. Both survive a power cut.
    package func finish() throws {
        try Files.move(partial, openAs: file.descriptor, to: path)
        unlink(placePath)
    }

    /// Removes both files, when the records are in another one.
    package func discard() {
        unlink(placePath)
        unlink(partial)
    }

    private var placePath: String { "\(partial).json" }

    /// False if another export has finished with the file between its opening and its lock.
    private var isStillThere: Bool {
        var (opened, named) = (stat(), stat())
        return fstat(file.descriptor, &opened) == 0 && lstat(partial, &named) == 0 && opened.st_ino == named.st_ino
            && opened.st_dev == named.st_dev
    }

    // MARK: Going on

    /// Finds the lines to keep, and the place; leaves both empty if there is nothing to go on from.
    private func goOn() throws {
        guard let written = try writtenPlace() else { return }
        let reader = try LineReader(path: partial)
        var isReached = written.bytes == 0
        while let line = try reader.next() {
            let end = bytes + line.count + 1
            guard end <= reader.fileBytes, let record = Self.record(line), names.insert(record.place).inserted else {
                break
            }
            bytes = end
            if bytes == written.bytes { isReached = names.count == written.records }
        }
        guard isReached else {
            (names, bytes) = ([], 0)
            return
        }
        place = written
    }

    /// The place that was written last; nil if there is none that can be read.
    private func writtenPlace() throws -> Place? {
        guard access(placePath, F_OK) == 0 else { return nil }
        let reader = try LineReader(path: placePath)
        guard let line = try reader.next(), let json = try? JSONValue(parsing: Array(line)),
            let found = json["subject"], let records = json["records"]?.integer, let bytes = json["bytes"]?.integer
        else { return nil }
        guard found == subject else {
            throw ImportError(
                "\(partial) is of another export: \(String(decoding: try found.serialized(), as: UTF8.self)); "
                    + "end that one, or start over without --resume")
        }
        return Place(
            marker: json["continuationMarker"], isComplete: json["isComplete"]?.bool ?? false, records: Int(records),
            bytes: Int(bytes))
    }

    private static func record(_ line: ArraySlice<UInt8>) -> ExportedRecord? {
        let record = (try? JSONValue(parsing: Array(line)))?.object.flatMap(ExportedRecord.init(line:))
        return record?.name == nil ? nil : record
    }

    // MARK: Writing

    private func writePlace() throws {
        var json: JSONObject = [
            "subject": subject, "records": .integer(Int64(place.records)), "bytes": .integer(Int64(place.bytes)),
            "isComplete": .bool(place.isComplete),
        ]
        json["continuationMarker"] = place.marker
        let temporary = "\(placePath).new"
        let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw FileError("write", temporary) }
        defer { close(file) }
        try Files.write(try JSONValue.object(json).serialized() + [0x0A], to: file, at: temporary)
        guard rename(temporary, placePath) == 0 else { throw FileError("replace", placePath) }
    }
}
