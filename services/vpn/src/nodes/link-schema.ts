import { z } from 'zod'
import { plainText } from '../envelope.ts'

/** Name in the certificate of the service for nodes. They know the service by it, whatever address it has. */
export const controlName = 'control.hearth.invalid'

/** Pause between two reports of a node, milliseconds. */
export const reportEveryMs = 30_000

/** Paths of the link between nodes and the service. A later version that older nodes do not understand has other paths. */
export const linkPaths = { join: '/v1/join', report: '/v1/report' } as const

/** Bytes of a request or an answer of the link, at most. */
export const maxLinkBody = 16_384

/** Request of a host to become a node. Members that are not known are ignored, so that newer nodes can join. */
export const JoinRequest = z.object({
  token: plainText(128),
  certificate_request: plainText(4096),
  version: plainText(64),
})
export type JoinRequest = z.infer<typeof JoinRequest>

/** Identity that a host gets when it joins. */
export const JoinAnswer = z.object({ id: z.uuid(), name: z.string(), certificate: z.string() })
export type JoinAnswer = z.infer<typeof JoinAnswer>

/** A node says that it runs. */
export const Report = z.object({ version: plainText(64) })
export type Report = z.infer<typeof Report>

/** Answer to a report. */
export const ReportAnswer = z.object({ name: z.string() })
export type ReportAnswer = z.infer<typeof ReportAnswer>

/** An answer of the link other than success. */
export const LinkRefusal = z.object({ message: z.string() })
