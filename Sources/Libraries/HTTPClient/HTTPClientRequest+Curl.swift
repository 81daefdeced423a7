import CCurl

extension HTTPClientRequest {
    /// Sets the method of an easy handle, and the size of the body if one is sent.
    func setMethod(of easy: UnsafeMutableRawPointer, bodyBytes: Int) {
        if method == "HEAD" {
            curl_set_long(easy, CURLOPT_NOBODY, 1)
            curl_set_string(easy, CURLOPT_CUSTOMREQUEST, nil)
        } else if bodyBytes > 0 || usuallyHasBody {
            curl_set_long(easy, CURLOPT_POST, 1)
            curl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bodyBytes))
            curl_set_string(easy, CURLOPT_CUSTOMREQUEST, method == "POST" ? nil : method)
        } else {
            curl_set_long(easy, CURLOPT_HTTPGET, 1)
            curl_set_string(easy, CURLOPT_CUSTOMREQUEST, method == "GET" ? nil : method)
        }
    }

    /// The header fields as libcurl takes them; the caller frees the list.
    var headerList: UnsafeMutablePointer<curl_slist>? {
        let hasType = headers.contains { $0.0.utf8.count == 12 && $0.0.lowercased() == "content-type" }
        if let signature {
            // libcurl signs also the names that take something out, so that what it adds has to stay.
            let type = hasType || !usuallyHasBody ? [] : [("Content-Type", "application/octet-stream")]
            return Self.append(headers + type + signature.headers, to: nil)
        }
        // Names without a value take out what libcurl adds by itself.
        var list = curl_slist_append(nil, "Expect:")
        if !hasType { list = curl_slist_append(list, "Content-Type:") }
        _ = Self.append(headers, to: list)
        return list
    }

    /// True if libcurl says the type of a body, also of an empty one.
    private var usuallyHasBody: Bool { ["POST", "PUT", "PATCH"].contains(method) }

    /// Sets the key that libcurl signs with.
    func setSignature(of easy: UnsafeMutableRawPointer) {
        guard let signature else { return }
        curl_set_string(easy, CURLOPT_AWS_SIGV4, signature.scope)
        curl_set_string(easy, CURLOPT_USERNAME, signature.accessKey)
        curl_set_string(easy, CURLOPT_PASSWORD, signature.secretKey)
    }

    /// Appends fields to a list; returns the list, which begins with the first of them when there was none.
    private static func append(
        _ fields: [(String, String)], to list: UnsafeMutablePointer<curl_slist>?
    ) -> UnsafeMutablePointer<curl_slist>? {
        var list = list
        var last = list
        while let next = last?.pointee.next { last = next }
        for (name, value) in fields {
            var (name, value) = (name, value)
            last = name.withUTF8 { name in
                value.withUTF8 { value in
                    curl_append_field(last, name.baseAddress, name.count, value.baseAddress, value.count)
                }
            }
            if list == nil { list = last }
        }
        return list
    }
}
