import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { useState } from 'react';
import { useAvailable } from '../../api/features.ts';
import { FlowView } from '../../graph/FlowView.tsx';
import { useWords } from '../../i18n/words.ts';
import { navigate } from '../../navigate.ts';
import { paths } from '../../paths.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { IconFlow, IconPlus } from '../../ui/icons.tsx';
import { Page } from '../../ui/Page.tsx';
import { words } from './words.ts';

export function FlowPage() {
  const w = useWords(words);
  const available = useAvailable(api.rules.list);
  const [count, setCount] = useState<number>();
  const create = (
    <Button
      variant="filled"
      leftSection={<IconPlus size={15} />}
      onClick={() => navigate(paths.ruleCreate())}
    >
      {w.create}
    </Button>
  );
  return (
    <Page
      title={w.title}
      purpose={w.purpose}
      facts={count ? w.found({ count }) : undefined}
      actions={available && count !== 0 && create}
    >
      <FlowView
        onCount={setCount}
        empty={
          <EmptyState icon={<IconFlow size={28} />} title={w.empty} text={w.emptyText} action={create} />
        }
      />
    </Page>
  );
}
