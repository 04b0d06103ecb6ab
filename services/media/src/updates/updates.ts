import type { ToolUpdate, Updates } from './schema.ts'

/** Versions, and yt-dlp's own update. */
export interface UpdateKeeper {
  /** From memory for a day, and for an hour after a failure. */
  check(): Promise<Updates>
  /** Fetches the newest yt-dlp beside the present one, tries it, and takes it only when it works. */
  updateYtDlp(): Promise<ToolUpdate>
  /** Goes back to the version before. */
  revertYtDlp(): Promise<ToolUpdate>
}
