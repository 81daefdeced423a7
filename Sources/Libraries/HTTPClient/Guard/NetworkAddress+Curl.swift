import CCurl

#if canImport(Glibc)
    import Glibc
#endif

extension NetworkAddress {
    /// The address that libcurl is about to connect to.
    init(_ address: UnsafeMutablePointer<curl_sockaddr>) {
        let length = Int(address.pointee.addrlen)
        let start = UnsafeRawPointer(address) + (MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0)
        switch address.pointee.family {
        case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
            self = .v4(UInt32(bigEndian: (start + 4).loadUnaligned(as: UInt32.self)))
        case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
            self = .v6(
                UInt64(bigEndian: (start + 8).loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: (start + 16).loadUnaligned(as: UInt64.self)))
        default: self = .other
        }
    }
}
