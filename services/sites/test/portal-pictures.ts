import { screenshot } from '@hearth/testing'
import type { Page } from 'playwright-core'

/** Takes pictures of a page of the portal, wide and on a phone, light and dark. */
export async function takePictures(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 390]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      await screenshot(page, `${name}-${width}-${colorScheme}`)
    }
}
