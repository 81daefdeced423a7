import TestSupport
import Testing

@testable import FileSystem

#if canImport(Glibc)
    import Glibc
#endif

@Suite struct LockedFileTests {
    private func isHeld(_ path: String) throws -> Bool {
        do throws(LockedFile.Failure) {
            _ = try LockedFile(path, O_RDWR)
            return false
        } catch {
            guard case .held = error else { throw error }
            return true
        }
    }

    @Test("one reference has the lock, and the last one ends it")
    func oneHasTheLock() throws {
        let folder = TemporaryFolder()
        let path = folder.path("file")
        var file: LockedFile? = try LockedFile(path, O_RDWR | O_CREAT)
        #expect(try isHeld(path))
        file = nil
        #expect(file == nil)
        #expect(try !isHeld(path))
    }

    @Test("a child that has the descriptor until its program begins does not keep the lock")
    func aCopyOfTheDescriptorDoesNotKeepTheLock() throws {
        let folder = TemporaryFolder()
        let path = folder.path("file")
        var file: LockedFile? = try LockedFile(path, O_RDWR | O_CREAT)
        let copy = dup(try #require(file).descriptor)
        defer { close(copy) }
        file = nil
        #expect(file == nil)
        #expect(try !isHeld(path))
    }

    @Test("a file that cannot be opened is not held")
    func aFileThatCannotBeOpenedIsNotHeld() {
        let error = #expect(throws: LockedFile.Failure.self) { try LockedFile("/nowhere/at-all", O_RDWR | O_CREAT) }
        guard case .unusable(let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.description == "cannot open /nowhere/at-all: No such file or directory")
    }
}
