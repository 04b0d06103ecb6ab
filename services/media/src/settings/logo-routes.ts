import { FileForm, type Route } from '@hearth/http'
import { route } from '../access.ts'
import { Logo, LogoRemoved } from './logo-schema.ts'
import type { Logos } from './logo.ts'

/** Largest logo, bytes. */
export const largestLogo = 2 * 1024 * 1024

/** The picture laid over videos. */
export function logoRoutes(logos: Logos): Route[] {
  const shared = { tag: 'Settings', access: 'member', path: '/api/settings/watermark-logo' } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'Whether a logo of one’s own is there',
        limit: '60',
        success: { status: 200, body: Logo },
      },
      () => logos.describe(),
    ),
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/settings/watermark-logo/image',
        summary: 'The logo',
        limit: '60',
        success: { status: 200, media: 'image/png', description: 'PNG' },
        errors: [404],
      },
      async ({ answer }) => {
        answer.header('cache-control', 'private, max-age=60')
        return { content: await logos.read() }
      },
    ),
    route(
      {
        ...shared,
        method: 'POST',
        summary: 'Store a logo',
        description: 'PNG with transparency, 32 to 4096 pixels on each side, at most 2 MB.',
        limit: '10',
        takes: { upload: { largestBytes: largestLogo } },
        body: FileForm,
        success: { status: 200, body: Logo },
      },
      ({ body }) => logos.save(body.file.bytes),
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        summary: 'Remove the logo; the one that comes with the service applies again',
        limit: '10',
        success: { status: 200, body: LogoRemoved },
      },
      () => logos.remove(),
    ),
  ]
}
