import { createHash } from 'node:crypto'

/** Stand-ins for preshared keys in a file: 32 bytes of base64 like a key, but nothing can be opened with them. */
export interface KeyFingerprints {
  /** The stand-in for a key; a stand-in nobody could resolve stands for itself. */
  of(key: string): string
  /** The key a stand-in stands for where this process has seen it, else the stand-in. */
  resolve(fingerprint: string): string
}

/** A memory of the keys this process has seen. */
export function createKeyFingerprints(): KeyFingerprints {
  const byKey = new Map<string, string>()
  const byFingerprint = new Map<string, string>()
  return {
    of(key) {
      const known = byKey.get(key)
      if (known !== undefined) return known
      const fingerprint = createHash('sha256').update(key).digest('base64')
      byKey.set(key, fingerprint)
      byFingerprint.set(fingerprint, key)
      return fingerprint
    },
    resolve(fingerprint) {
      const key = byFingerprint.get(fingerprint)
      if (key === undefined) byKey.set(fingerprint, fingerprint)
      return key ?? fingerprint
    },
  }
}
