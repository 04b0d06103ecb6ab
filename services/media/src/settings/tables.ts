/** A file that every process of an installation needs, such as the logo. */
export interface FileRow {
  name: string
  /** SHA-256 of the content, hex. */
  digest: string
  /** Base64. */
  content: string
}
