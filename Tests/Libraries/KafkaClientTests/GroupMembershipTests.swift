import KafkaClient
import Testing

@testable import struct KafkaClient.GroupMembership

@Suite("What a member owes its group")
struct GroupMembershipTests {
    private let a = KafkaTopicPartition(topic: "t", partition: 0)
    private let b = KafkaTopicPartition(topic: "t", partition: 1)
    private let c = KafkaTopicPartition(topic: "t", partition: 2)

    @Test("only assigned partitions that were not started can be started, once")
    func start() {
        var membership = GroupMembership()
        membership.assign([a, b])
        #expect(membership.start([a, c]) == [a])
        #expect(membership.start([a]) == [])
        #expect(membership.owns(a) && membership.owns(b) && !membership.owns(c))
    }

    @Test("a revocation is answered when its last partition is released, with the started ones")
    func release() {
        var membership = GroupMembership()
        membership.assign([a, b, c])
        _ = membership.start([a, c])
        #expect(membership.revoke([a, b]) == nil)
        #expect(membership.isReleaseAwaited)
        #expect(membership.start([b]) == [])
        let early = membership.release([a, c])
        #expect(early.released == [a] && early.answer == nil)
        #expect(!membership.owns(a) && membership.owns(b) && membership.owns(c))
        let late = membership.release([b])
        #expect(late.released == [b] && late.answer == [a])
        #expect(!membership.isReleaseAwaited && !membership.owns(b) && membership.owns(c))
        #expect(membership.release([b]).answer == nil)
    }

    @Test("a refused commit counts for the revocation that it came in, and for no other")
    func refusedCommit() {
        var membership = GroupMembership()
        membership.assign([a, b])
        membership.refuseCommit()
        #expect(!membership.isCommitRefused)
        _ = membership.revoke([a])
        #expect(!membership.isCommitRefused)
        membership.refuseCommit()
        #expect(membership.isCommitRefused)
        _ = membership.release([a])
        // A reply that comes after the release.
        membership.refuseCommit()
        _ = membership.revoke([b])
        #expect(!membership.isCommitRefused)
        membership.refuseCommit()
        _ = membership.lose([])
        #expect(!membership.isCommitRefused)
    }

    @Test("a revocation of nothing that is owned is answered at once")
    func revokeNothing() {
        var membership = GroupMembership()
        membership.assign([a])
        #expect(membership.revoke([]) == [])
        #expect(membership.revoke([b]) == [])
        #expect(!membership.isReleaseAwaited && membership.owns(a))
    }

    @Test("a loss includes partitions that were about to be released")
    func lose() {
        var membership = GroupMembership()
        membership.assign([a, b, c])
        _ = membership.start([a, b])
        _ = membership.revoke([a])
        #expect(Set(membership.lose([b, c])) == [a, b])
        #expect(!membership.isReleaseAwaited)
        #expect(membership.standings.isEmpty)
        #expect(membership.release([a]).released == [])
    }

    @Test("a partition that comes back is to be started again")
    func again() {
        var membership = GroupMembership()
        membership.assign([a])
        _ = membership.start([a])
        _ = membership.revoke([a])
        _ = membership.release([a])
        membership.assign([a])
        #expect(membership.start([a]) == [a])
    }
}
