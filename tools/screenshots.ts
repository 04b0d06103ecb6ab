import { globSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../cli/services.ts'

/** `npm run screenshots -- inverter`: makes the pictures of the README from running services; without names, of all. */
const wanted = process.argv.slice(2)
for (const file of globSync('services/*/test/screenshots.ts', { cwd: root }).sort()) {
  if (wanted.length > 0 && !wanted.some((name) => file.startsWith(`services/${name}/`))) continue
  const { takeScreenshots } = (await import(join(root, file))) as { takeScreenshots: (images: string) => Promise<void> }
  await takeScreenshots(join(root, 'docs/images'))
}
