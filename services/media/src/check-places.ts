import { checkProgram } from '@hearth/runtime'
import { checkArtifacts } from './artifacts/open-artifacts.ts'
import type { Config } from './config.ts'

/**
 * Checks the programs and directories that the settings name before anything is written. Throws an `OperatorError` that names
 * the wrong one.
 */
export function checkPlaces({ ytDlpPath, ffmpegPath, artifacts }: Config): void {
  if (ytDlpPath !== undefined) checkProgram('YTDLP_PATH', ytDlpPath)
  if (ffmpegPath !== undefined) checkProgram('FFMPEG_PATH', ffmpegPath)
  checkArtifacts(artifacts)
}
