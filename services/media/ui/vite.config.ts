import { defineConfig, mergeConfig } from 'vite'
import { hearthUi } from '@hearth/ui/vite'

const server = 'http://127.0.0.1:8103'
const paths = ['/events', '/download', '/audio-source', '/thumbnail', '/share', '/feed', '/login', '/logout', '/docs']

export default defineConfig(
  mergeConfig(hearthUi({ title: 'Hearth Media', server }), {
    server: { proxy: Object.fromEntries(paths.map((path) => [path, server])) },
  }),
)
