import { api } from '@mqdeck/contract/api';
import {
  type PluginConfigField,
  type PluginConfigSchema,
  type PluginWords,
  pluginConfig,
} from '@mqdeck/contract/plugins';
import { useMemo } from 'react';
import { sentenceInPlace } from '../../api/report.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { MultiText, NumberField, Secret, Text, TextArea, Toggle } from '../../form/fields.tsx';
import type { Word } from '../../form/form-context.ts';
import { Select } from '../../form/Select.tsx';
import { SettingsForm } from '../../form/SettingsForm.tsx';
import { useWords } from '../../i18n/words.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { configSchemaOf } from './config-schema.ts';
import { words } from './words.ts';

/** The configuration, as the plugin's own schema has it. */
export function PluginSettings({ id }: { id: string }) {
  const w = useWords(words);
  const { data, error, refetch } = useEndpoint(api.plugins.schema, { params: { name: id } }, { quiet: true });
  const schema = useMemo(() => data && configSchemaOf(data), [data]);
  if (schema) return <Form id={id} schema={schema} />;
  if (data) return <EmptyState title={w.noForm} text={w.noFormText({ id: visibleText(id) })} />;
  if (error?.status === 404) return <EmptyState title={w.noSchema} />;
  if (error) return <ErrorState title={w.configFailed} text={sentenceInPlace(error)} retry={refetch} />;
  return <SkeletonRows rows={4} />;
}

const SHOWN_CHARS_MAX = 500;
/** A stranger's words, whole in each language. */
const inBoth = (text: PluginWords): Word => {
  const { en, zh } = typeof text === 'string' ? { en: text, zh: text } : text;
  return {
    en: visibleText(en.slice(0, SHOWN_CHARS_MAX)),
    zh: visibleText(zh.slice(0, SHOWN_CHARS_MAX)),
  };
};

function Form({ id, schema }: { id: string; schema: PluginConfigSchema }) {
  const fields = Object.entries(schema.properties);
  const save = useMemo(() => ({ ...api.plugins.configure, body: pluginConfig(schema) }), [schema]);
  const labels = useMemo(
    () =>
      Object.fromEntries(
        Object.entries(schema.properties).flatMap(([name, { title, description }]) => [
          [name, inBoth(title ?? name)] as const,
          ...(description === undefined ? [] : [[`${name}.hint`, inBoth(description)] as const]),
        ]),
      ),
    [schema],
  );
  return (
    <SettingsForm load={api.plugins.config} save={save} params={{ name: id }} words={labels}>
      {fields.map(([name, field]) => (
        <OneField key={name} name={name} field={field} required={schema.required?.includes(name)} />
      ))}
    </SettingsForm>
  );
}

function OneField({
  name,
  field,
  required,
}: {
  name: string;
  field: PluginConfigField;
  required: boolean | undefined;
}) {
  switch (field.type) {
    case 'boolean':
      return <Toggle name={name} />;
    case 'array':
      return <MultiText name={name} />;
    case 'string':
      if (field.enum) return <Select name={name} required={required} options={field.enum} />;
      if (field.format === 'password') return <Secret name={name} required={required} removable />;
      return field.format === 'textarea' ? (
        <TextArea name={name} required={required} />
      ) : (
        <Text name={name} required={required} />
      );
    default:
      return <NumberField name={name} required={required} />;
  }
}
