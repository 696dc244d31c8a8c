/// A self-signed certificate for `localhost` and 127.0.0.1, with its key, which no client trusts by default.
///
/// The certificate isn't created at run time, because a library for certificates would double this package's build
/// time. The key is used nowhere else and isn't secret.
enum Certificate {
    static let pem = """
        -----BEGIN CERTIFICATE-----
        MIIBaDCCAQ2gAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
        c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
        CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMrXOzu+CQ49pk72
        ZQ5E4pxDDDTgtkxTftcb+eFY5768cZBq44A/kqcWaaj1yRzSeEUUtRwLPlKKSWsJ
        0mUEYSujTjBMMA8GA1UdEwEB/wQFMAMBAf8wGgYDVR0RBBMwEYIJbG9jYWxob3N0
        hwR/AAABMB0GA1UdDgQWBBR+OYrXszYihqohhsACjqHgWPu3vTAKBggqhkjOPQQD
        AgNJADBGAiEAoFrk+s4hr/FFyLyI048O/BuotpZ9kDQgEpzqI5pTExkCIQDNKl5a
        1hjIIJDruZspYQzjGaas+f9YUtGLRX5d7RH10g==
        -----END CERTIFICATE-----
        """

    static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgE8czKZDzSLxtGSo1
        8E4iaAZokXVMNApipJc7iVhuTxuhRANCAATK1zs7vgkOPaZO9mUOROKcQww04LZM
        U37XG/nhWOe+vHGQauOAP5KnFmmo9ckc0nhFFLUcCz5SiklrCdJlBGEr
        -----END PRIVATE KEY-----
        """
}
