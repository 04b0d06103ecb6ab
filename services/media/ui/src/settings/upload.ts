/** For uploads with the typed client: its body becomes the one file of a form. */
export function asUpload(file: Blob) {
  return {
    // The description has a text where a file goes.
    body: { file: file as unknown as string },
    bodySerializer: () => {
      const form = new FormData()
      form.set('file', file, 'upload')
      return form
    },
  }
}
