import CrashMarks
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Marks outlive the process that made them, and only those of the dead are found.
@Suite struct CrashMarksTests {
    /// What a process leaves in a folder that dies by a signal while it works.
    private func die(in folder: String) async {
        await #expect(processExitsWith: .failure) { [folder] in
            let marks = try CrashMarks(folder: folder)
            let first = try #require(marks.slot(for: "a/1"))
            let second = try #require(marks.slot(for: "b/2"))
            let third = try #require(marks.slot(for: "c/3"))
            first.begin(41)
            first.end()
            first.begin(42)
            second.begin(7, isAlone: true)
            third.begin(1)
            third.end()
            kill(getpid(), SIGKILL)
        }
    }

    @Test func aLaterProcessFindsUnfinishedWork() async throws {
        let folder = TemporaryFolder()
        let path = folder.path("marks")
        await die(in: path)
        let marks = try CrashMarks(folder: path)
        #expect(
            Set(marks.left) == [
                .init(place: "a/1", item: 42, isAlone: false), .init(place: "b/2", item: 7, isAlone: true),
            ])
        // A process that starts beside it finds neither its marks nor those that it has taken over.
        let mine = try #require(marks.slot(for: "mine"))
        mine.begin(1)
        #expect(try CrashMarks(folder: path).left.isEmpty)
        marks.forgetLeft()
        #expect(marks.left.isEmpty)
        #expect(try CrashMarks(folder: path).left.isEmpty)
    }

    @Test func keptMarksAreFoundAgain() async throws {
        let folder = TemporaryFolder()
        let path = folder.path("marks")
        await die(in: path)
        do {
            let marks = try CrashMarks(folder: path)
            #expect(marks.left.count == 2)
        }
        #expect(try CrashMarks(folder: path).left.count == 2)
    }

    @Test func aProcessThatEndsInOrderLeavesNothing() throws {
        let folder = TemporaryFolder()
        let path = folder.path("marks")
        do {
            let marks = try CrashMarks(folder: path)
            let slot = try #require(marks.slot(for: "a"))
            slot.begin(1)
        }
        #expect(try CrashMarks(folder: path).left.isEmpty)
    }

    @Test func placesHaveAnEnd() throws {
        let folder = TemporaryFolder()
        let marks = try CrashMarks(folder: folder.path("marks"))
        for number in 0..<CrashMarks.slotsMax { #expect(marks.slot(for: "\(number)") != nil) }
        #expect(marks.slot(for: "one more") == nil)
    }

    @Test func aFolderThatCannotBeMadeIsAnErrorThatNamesIt() {
        #expect(throws: CrashMarksError.self) { try CrashMarks(folder: "/proc/no-such/marks") }
    }
}
