; while (…), do … while (…), for (;;)
[(while_statement) (do_statement) (for_statement)] @loop
