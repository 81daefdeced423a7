import CloudMessages
import Testing

@Suite struct PartitionerTests {
    /// Expected values are those that Apache Kafka's own `Utils.murmur2` test lists, made positive and reduced.
    @Test(arguments: [
        ("21", -973_932_308), ("foobar", -790_332_482), ("a-little-bit-long-string", -985_981_536),
        ("a-little-bit-longer-string", -1_486_304_829),
        ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971), ("abc", 479_470_107),
    ])
    func keysGoWhereJavaClientsPutThem(key: String, murmur2: Int32) {
        let expected = (murmur2 & 0x7fff_ffff) % 12
        #expect(Partitioner.partition(of: Array(key.utf8), among: 12) == expected)
    }
}
