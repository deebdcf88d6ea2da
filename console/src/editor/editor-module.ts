/** The editor is large and needs a browser: loaded with the first field, and replaced by tests through this object. */
export const editorModule = { load: () => import('./open-editor.ts') };
