import { defineConfig } from 'vite'
import { hearthUi } from '@hearth/ui/vite'

export default defineConfig(hearthUi({ title: 'Hearth Sites', server: 'http://127.0.0.1:8104' }))
