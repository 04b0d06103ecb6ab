import type { OutboundPolicy } from '@hearth/outbound'
import { openToolbox, type Toolbox } from './tools/toolbox.ts'
import { type ChosenParts, ChosenYtDlp } from './updates/chosen-yt-dlp.ts'
import { fetchTaken } from './updates/fetch-version.ts'

/** What the tools are opened with. */
export interface ToolParts extends Omit<ChosenParts, 'config' | 'fetchMissing'> {
  readonly config: ChosenParts['config'] & { readonly ffmpegPath: string | undefined }
  /** Where the tools may go. */
  readonly policy: OutboundPolicy
}

/** The tools, with the yt-dlp that was chosen. */
export interface OpenTools {
  readonly tools: Toolbox
  readonly chosenYtDlp: ChosenYtDlp
}

/** Opens the tools; both members are to be closed. */
export function openTools({ policy, ...parts }: ToolParts): OpenTools {
  const chosenYtDlp = new ChosenYtDlp({
    ...parts,
    fetchMissing: (chosen, wanted) => fetchTaken(chosen, wanted, tools.runner),
  })
  const tools: Toolbox = openToolbox({ ...parts.config, policy, ytDlpProgram: () => chosenYtDlp.program() })
  return { tools, chosenYtDlp }
}
